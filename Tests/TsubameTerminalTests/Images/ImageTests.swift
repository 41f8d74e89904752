// ImageTests: the sizes of images, and their display.
import CZlib
import Testing
import TsubameTerminal

@Suite struct ImageTests {
    private func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count, 4) + Array(type.utf8) + content + [0, 0, 0, 0]
    }

    /// A PNG with these rows, each with its filter.
    private func png(
        width: Int, height: Int, depth: UInt8 = 8, colour: UInt8, interlacing: UInt8 = 0, palette: [UInt8] = [],
        rows: [UInt8]
    ) -> [UInt8] {
        var length = compressBound(uLong(rows.count))
        var data = [UInt8](repeating: 0, count: Int(length))
        compress(&data, &length, rows, uLong(rows.count))
        let header = big(width, 4) + big(height, 4) + [depth, colour, 0, 0, interlacing]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + (palette.isEmpty ? [] : chunk("PLTE", palette)) + chunk("IDAT", Array(data.prefix(Int(length))))
            + chunk("IEND", [])
    }

    private func sixels(_ image: [UInt8], width: Int? = 800) -> String? {
        guard let header = ImageHeader(image) else { return nil }
        return InlineImage.sequences(image, header, by: .sixel, columns: 80, width: width)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The part after the palette.
    private func bands(_ image: [UInt8], width: Int? = 800) -> String? {
        sixels(image, width: width)?.components("#215;2;100;100;100").last
    }

    // MARK: Headers

    static let headers: [([UInt8], String?)] = [
        (
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
                0, 0, 2, 0x80, 0, 0, 1, 0xE0,
            ],
            "PNG image, 640 × 480"
        ),
        (Array("GIF89a".utf8) + [0x40, 1, 0xF0, 0], "GIF image, 320 × 240"),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 17, 8, 0, 100, 0, 200, 3], "JPEG image, 200 × 100"),
        ([0xFF, 0xD8, 0xFF, 0xC4, 0, 2, 0xFF, 0xDA, 0, 2], nil), ([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF], nil),
        (Array("RIFF....WEBPVP8 ....".utf8) + [0, 0, 0, 0x9D, 1, 0x2A, 0x10, 0x40, 0x20, 0], "WebP image, 16 × 32"),
        (Array("RIFF....WEBPVP8L....".utf8) + [0x2F, 0x0F, 0xC0, 0x07, 0], "WebP image, 16 × 32"),
        (Array("RIFF....WEBPVP8X....".utf8) + [0, 0, 0, 0, 15, 0, 0, 31, 0, 0], "WebP image, 16 × 32"),
        (
            Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0, 3, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF],
            "BMP image, 3 × 2"
        ),
        (Array("GIF89a".utf8) + [0, 0, 0, 0], nil), (Array("GIF8".utf8), nil), ([], nil), (Array("text".utf8), nil),
    ]

    @Test(arguments: headers)
    func sizesAreReadFromHeaders(bytes: [UInt8], description: String?) {
        #expect(ImageHeader(bytes)?.description == description)
        // An image that is cut anywhere has a size or none, and never traps.
        for count in 0..<bytes.count { _ = ImageHeader(bytes[..<count]) }
    }

    // MARK: Kitty and iTerm2

    @Test func kittyGetsALongImageInPieces() throws {
        let image = png(width: 2, height: 1, colour: 0, rows: [0, 0, 255]) + [UInt8](repeating: 7, count: 4000)
        let header = try #require(ImageHeader(image))
        let text = String(
            decoding: try #require(InlineImage.sequences(image, header, by: .kitty, columns: 80, width: nil)),
            as: UTF8.self)
        let pieces = text.components("\u{1B}\\")
        #expect(pieces.count == 3 && pieces[2] == "\n")
        #expect(pieces[0].hasPrefix("\u{1B}_Ga=T,f=100,q=2,m=1;") && pieces[0].utf8.count == 21 + 4096)
        #expect(pieces[1].hasPrefix("\u{1B}_Gm=0;"))
    }

    @Test func aWideImageIsMadeAsWideAsTheTerminal() throws {
        let image = png(width: 1000, height: 1, colour: 0, rows: [UInt8](repeating: 0, count: 1001))
        let header = try #require(ImageHeader(image))
        let wide = InlineImage.sequences(image, header, by: .kitty, columns: 80, width: 999) ?? []
        #expect(String(decoding: wide, as: UTF8.self).hasPrefix("\u{1B}_Ga=T,f=100,q=2,c=80,m=0;"))
        let narrow = InlineImage.sequences(image, header, by: .kitty, columns: 80, width: 1000) ?? []
        #expect(String(decoding: narrow, as: UTF8.self).hasPrefix("\u{1B}_Ga=T,f=100,q=2,m=0;"))
    }

    @Test func whatATerminalCannotShowIsNotSent() throws {
        let gif = Array("GIF89a".utf8) + [1, 0, 1, 0]
        let header = try #require(ImageHeader(gif))
        #expect(InlineImage.sequences(gif, header, by: .kitty, columns: 80, width: nil) == nil)
        #expect(InlineImage.sequences(gif, header, by: .sixel, columns: 80, width: nil) == nil)
        #expect(InlineImage.sequences(gif, header, by: .iterm2, columns: 80, width: nil) != nil)
    }

    // MARK: Sixels

    @Test func everyKindOfPixelIsRead() {
        let red = "#180@-\u{1B}\\\n"
        #expect(bands(png(width: 1, height: 1, colour: 2, rows: [0, 255, 0, 0])) == red)
        #expect(bands(png(width: 1, height: 1, colour: 6, rows: [0, 255, 0, 0, 255])) == red)
        #expect(bands(png(width: 1, height: 1, colour: 6, rows: [0, 255, 255, 255, 0])) == "#0@-\u{1B}\\\n")
        #expect(bands(png(width: 1, height: 1, colour: 3, palette: [0, 0, 0, 255, 0, 0], rows: [0, 1])) == red)
        #expect(bands(png(width: 1, height: 1, depth: 16, colour: 2, rows: [0, 255, 9, 0, 9, 0, 9])) == red)
        #expect(
            bands(png(width: 4, height: 1, depth: 1, colour: 0, rows: [0, 0b0101_0000])) == "#0@?@?$#215?@?@-\u{1B}\\\n"
        )
        #expect(bands(png(width: 2, height: 1, depth: 4, colour: 4, rows: [0, 0, 0])) == nil)
        #expect(bands(png(width: 1, height: 1, colour: 3, rows: [0, 9])) == "#0@-\u{1B}\\\n")
    }

    @Test func filtersAreUndone() {
        // The rows are grey at 51, 102 and 153: levels 1, 2 and 3 of the cube.
        let rows: [UInt8] = [
            0, 51, 102, 153, 1, 51, 51, 51, 2, 0, 0, 0, 3, 26, 26, 26, 4, 0, 0, 0,
        ]
        #expect(bands(png(width: 3, height: 5, colour: 0, rows: rows)) == "#43^??$#86?^?$#129??^-\u{1B}\\\n")
    }

    @Test func aWideImageIsNarrowed() {
        let image = png(width: 100, height: 2, colour: 0, rows: [UInt8](repeating: 0, count: 202))
        #expect(sixels(image, width: 10)?.hasPrefix("\u{1B}P0;1;0q\"1;1;10;1#0;") == true)
        #expect(bands(image, width: 10) == "#0!10@-\u{1B}\\\n")
    }

    @Test func aPNGThatLiesIsNotShown() {
        let good = png(width: 2, height: 2, colour: 2, rows: [UInt8](repeating: 0, count: 14))
        #expect(sixels(good) != nil)
        #expect(sixels(png(width: 2, height: 3, colour: 2, rows: [UInt8](repeating: 0, count: 14))) == nil)
        #expect(sixels(png(width: 2, height: 1, colour: 2, rows: [UInt8](repeating: 0, count: 14))) == nil)
        #expect(sixels(png(width: 1 << 31, height: 1 << 31, colour: 2, rows: [0])) == nil)
        #expect(sixels(png(width: 2, height: 2, depth: 3, colour: 2, rows: [0])) == nil)
        #expect(sixels(png(width: 2, height: 2, colour: 5, rows: [0])) == nil)
        #expect(
            sixels(png(width: 2, height: 2, colour: 2, interlacing: 1, rows: [UInt8](repeating: 0, count: 14))) == nil)
        for count in 0..<good.count { _ = sixels(Array(good[..<count])) }
        for index in 0..<good.count {
            var broken = good
            broken[index] ^= 0xFF
            _ = sixels(broken)
        }
    }
}

extension String {
    /// The text, cut at each occurrence.
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
