"""Running a program where it can do no harm: bubblewrap, seccomp, limits, an account of its own. No fallback."""
