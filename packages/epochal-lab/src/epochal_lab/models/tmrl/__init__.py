"""TMRL: temporal Matryoshka adaptation of sentence encoders, and the methods that it is compared with.

settings    the method and its options; needs no torch
adapter     LoRA, merged models, adapters as files
objectives  the losses of TMRL (equations 3 to 14)
batches     time expressions in texts, texts as tokens, batches
network     a network for each method: TMRL, M-Adaptor, Ts-Retriever, TempRetriever
task        the loss of a method (15), and its task for the trainer
evaluate    texts to vectors, and retrieval measures of prefixes
running     from rows to a trained network; the bundled MiniLM as a backbone
"""
