"""The ways to isolate a process: bubblewrap, and Landlock with seccomp."""
