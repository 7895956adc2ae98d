"""snippets.py README.md OUT.cpp: the C++ blocks of a text as one program, as they are written there.

Includes go to the top; what remains of each block becomes a function of its own, in the order of the text.
"""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
assert blocks, f"{sys.argv[1]} has no C++"
includes, functions = [], []
for k, block in enumerate(blocks):
    lines = block.splitlines()
    includes += [line for line in lines if line.startswith("#include")]
    body = "\n".join(line for line in lines if not line.startswith("#include"))
    functions.append(f"static void block_{k}() {{\n{body}\n}}\n")
calls = "".join(f"  block_{k}();\n" for k in range(len(blocks)))
pathlib.Path(sys.argv[2]).write_text("\n".join([*includes, "", *functions, "int main() {\n" + calls + "}\n"]))
