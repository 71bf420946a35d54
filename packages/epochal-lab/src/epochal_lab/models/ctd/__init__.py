"""CTD: contrastive retrieval by text and time, as published for the Annals (ChunQiuTR), and an improved model.

settings   the parts of a model: published, baselines, improved; needs no torch
data       records and questions with their months, the protocol's modes, and sampled batches
heads      predict the time of a text from its vector
context    put that time into the vector; bias by distance in time
model      the model, its losses and its folder
task       what the trainer trains
searching  exact search, evaluation and result files
"""
