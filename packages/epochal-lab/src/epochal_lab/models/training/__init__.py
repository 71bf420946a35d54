"""The training loop that all models share: a task defines what is trained, settings define how, `train` runs it.

settings    hyperparameters, and the learning rate schedule
task        the protocol of a task, and the optimiser
trainer     `train`, its result, and the model card
checkpoint  tensors and JSON on disk, random states, and what resuming needs
device      devices, precision, batches by length, running means of losses
journal     the log of a run, one JSON object per line, and learning curves
"""
