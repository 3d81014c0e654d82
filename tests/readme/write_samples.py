#!/usr/bin/python3
"""Writes the outputs that README.md shows: tests/readme/write_samples.py build/release/fusecheck

The page's commands run in a folder with what they need: case/ as --save writes it, and out/ with a kernel whose last
tile of each row is shifted by one channel. readme_test.cpp then finds the same.
"""
import os, pathlib, re, subprocess, sys, tempfile
import numpy as np

program = os.path.abspath(sys.argv[1])
page = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def run(folder, command):
    words = [program] + command.split()[1:]
    return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True).stdout


with tempfile.TemporaryDirectory() as folder:
    run(folder, "fusecheck --op ConvBnRelu --shape 1,64,56,56 --data random --save case")
    y = np.load(folder + "/case/fused/y.npy")
    y[..., 48:] = np.roll(y, 1, axis=1)[..., 48:]
    os.mkdir(folder + "/out")
    np.save(folder + "/out/y.npy", y)
    shown = re.compile(r"^```\n\$ (.*)\n(?:.*\n)*?```$", re.MULTILINE)
    text = shown.sub(lambda m: "```\n$ " + m.group(1) + "\n" + run(folder, m.group(1)) + "```", page.read_text())
    page.write_text(text)
