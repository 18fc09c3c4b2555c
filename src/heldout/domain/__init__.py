"""Pure values and rules of held-out data. Standard library only; nothing here touches a file, Git or the clock."""
