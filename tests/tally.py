"""What a test program counts, and the last line that tests/run.py reads."""


class Tally:
    """Counts verdicts; a failure is printed at once."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, fact, shown=""):
        """Returns whether it holds."""
        if fact:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {name}: {shown}")
        return bool(fact)

    def skip(self, name, why):
        self.skipped += 1
        print(f"skip {name}: {why}")

    def end(self):
        """Prints the counts; returns the exit code."""
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0
