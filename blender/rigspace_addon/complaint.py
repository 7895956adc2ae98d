"""What is wrong with a file, in the parts of one sentence: ELEMENT PROBLEM; REMEDY."""


class Complaint(Exception):
    def __init__(self, element, problem, remedy, value=""):
        super().__init__(f"{element} {problem}; {remedy}".strip())
        self.parts = {"element": element, "problem": problem, "remedy": remedy, "value": str(value)}
