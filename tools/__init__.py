"""What builds and checks this repository; not shipped."""
