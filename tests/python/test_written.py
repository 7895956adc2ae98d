"""What is written about the module is true: docstrings, the manual, the examples, the stubs."""
import ast
import doctest
import inspect
import pathlib
import re
import subprocess
import sys

import rigspace
from rigspace import _rigspace
from support import ROOT, InAFolder, make_hero


class Written(InAFolder):
    def run_doctest(self, text, name):
        test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        output = []
        failures = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
            test, out=output.append)
        self.assertEqual(failures.failed, 0, "".join(output))
        return failures.attempted

    def test_the_docstrings(self):
        make_hero()
        things = {"rigspace": rigspace, **{name: getattr(rigspace, name) for name in rigspace.__all__}}
        ran = sum(self.run_doctest(inspect.getdoc(thing), name) for name, thing in things.items() if inspect.getdoc(thing))
        self.assertGreater(ran, 30)

    def test_everything_public_has_a_docstring(self):
        for name in rigspace.__all__:
            self.assertTrue(inspect.getdoc(getattr(rigspace, name)), name)

    def test_the_manual(self):
        make_hero()
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
        self.assertGreater(len(blocks), 4)
        pathlib.Path("manual.py").write_text("\n".join(blocks))
        self.run_script("manual.py")

    def run_script(self, path):
        ran = subprocess.run([sys.executable, "-B", path], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, f"{path}\n{ran.stdout}\n{ran.stderr}")
        return ran.stdout

    def test_the_examples(self):
        examples = sorted((ROOT / "examples/python").glob("[0-9]*.py"))
        self.assertGreater(len(examples), 5)
        for example in examples:
            with self.subTest(example.name):
                self.assertTrue(self.run_script(example))

    def test_the_stubs_say_what_is_there(self):
        tree = ast.parse((ROOT / "bindings/python/rigspace/_rigspace.pyi").read_text())
        stubs = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        public = {name for name in vars(_rigspace) if not name.startswith("_")}
        self.assertEqual(set(stubs), public)
        for name, node in stubs.items():
            if isinstance(node, ast.ClassDef):
                told = {each.name for each in node.body if isinstance(each, ast.FunctionDef)} - {"__init__"}
                real = {each for each in vars(getattr(_rigspace, name)) if not each.startswith("_")}
                self.assertEqual(told, real, name)


if __name__ == "__main__":
    import unittest

    unittest.main()
