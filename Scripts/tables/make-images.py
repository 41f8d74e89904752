#!/usr/bin/env python3
"""Draws the images of the endpoints /image/* and /static/favicon.ico, and writes them as Swift.

usage: make-images.py        (needs Pillow: pip install Pillow)

The picture is a swallow in three polygons, once as SVG and once drawn by Pillow for the other formats. Run it by hand
when the picture is to change: what it writes is committed.
"""
import base64
import io
import pathlib
import textwrap

from PIL import Image, ImageDraw

SIZE = 64
SKY, BACK, THROAT = "#dceaf4", "#1d2f4f", "#b5452c"
# On a square of 64: wings and forked tail, body, throat.
SHAPES = [
    (BACK, [(2, 14), (24, 22), (34, 30), (60, 6), (44, 38), (40, 44), (30, 62), (31, 50), (18, 56), (26, 42),
            (20, 30)]),
    (BACK, [(34, 30), (46, 34), (54, 44), (46, 46), (38, 44)]),
    (THROAT, [(46, 38), (54, 44), (45, 46)]),
]
TARGET = pathlib.Path(__file__).resolve().parents[2] / "Sources/HTTPBin/Content/ImageTableData.swift"
LIMIT = 2048


def svg():
    shapes = "\n".join(
        f'  <polygon fill="{color}" points="{" ".join(f"{x},{y}" for x, y in points)}"/>' for color, points in SHAPES)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}">\n'
            f'  <title>Swallow</title>\n  <rect width="{SIZE}" height="{SIZE}" fill="{SKY}"/>\n{shapes}\n</svg>\n')


def drawn(size):
    # Four times as large at first, for edges without steps.
    scale = 4 * size / SIZE
    image = Image.new("RGB", (4 * size, 4 * size), SKY)
    pen = ImageDraw.Draw(image)
    for color, points in SHAPES:
        pen.polygon([(x * scale, y * scale) for x, y in points], fill=color)
    return image.resize((size, size), Image.Resampling.LANCZOS)


def encoded(image, name, **options):
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


def main():
    image = drawn(SIZE)
    files = {
        "png": encoded(image.quantize(16), "PNG", optimize=True),
        "jpeg": encoded(image, "JPEG", quality=50, optimize=True),
        "webp": encoded(image, "WEBP", quality=50, method=6),
        "icon": encoded(drawn(16).quantize(16).convert("RGBA"), "ICO", sizes=[(16, 16)]),
    }
    lines = ["// The images, made by Scripts/tables/make-images.py.", "#if Server", "", "enum ImageTableData {"]
    lines += ['    static let svg = """', *("        " + line for line in svg().splitlines()), "", '        """']
    for name, content in files.items():
        assert len(content) <= LIMIT, (name, len(content))
        print(f"{name}: {len(content)} bytes")
        wrapped = textwrap.wrap(base64.b64encode(content).decode(), 108)
        lines += ["", "    /// In base64.", f'    static let {name} = """']
        lines += ["        " + "\\\n        ".join(wrapped), '        """']
    TARGET.write_text("\n".join(lines + ["}", "", "#endif", ""]))


if __name__ == "__main__":
    main()
