"""Files of sampling: population and design as people write them, frames, draws, labels and studies as commands do."""
