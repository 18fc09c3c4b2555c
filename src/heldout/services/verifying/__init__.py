"""What hooks check, checked again from the data: in CI and on a server."""
