"""What was recorded, worked out: runs (`steps`), the forest that they stand in (`tree`), conversations (`sessions`)."""
