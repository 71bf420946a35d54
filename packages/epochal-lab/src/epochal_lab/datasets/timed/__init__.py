"""Questions about dated documents whose answers follow from the dates, over many corpora: to train and to measure."""
