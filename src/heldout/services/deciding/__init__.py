"""What people decide: findings accepted, changes of holdouts approved, versions retired."""
