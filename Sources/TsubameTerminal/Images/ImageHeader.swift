// ImageHeader: the format and size of an image, read from its first bytes.

/// The header of a PNG, GIF, JPEG, WebP or BMP file. The rest of the file is not read.
package struct ImageHeader: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case png = "PNG"
        case gif = "GIF"
        case jpeg = "JPEG"
        case webP = "WebP"
        case bmp = "BMP"
    }

    package let kind: Kind
    /// The size in pixels.
    package let width: Int
    package let height: Int

    /// nil unless the bytes have one of these formats and contain the size.
    package init?(_ bytes: some RandomAccessCollection<UInt8>) {
        let reader = Reader(Array(bytes.prefix(Self.enough)))
        guard
            let (kind, width, height) = Self.png(reader) ?? Self.gif(reader) ?? Self.webP(reader) ?? Self.bmp(reader)
                ?? Self.jpeg(reader), width > 0, height > 0
        else { return nil }
        (self.kind, self.width, self.height) = (kind, width, height)
    }

    /// The largest number of bytes to read. In a JPEG, a preview and colour profiles may precede the size.
    package static let enough = 1 << 20

    /// A description such as `PNG image, 640 × 480`.
    package var description: String { "\(kind.rawValue) image, \(width) × \(height)" }

    private typealias Found = (Kind, Int, Int)

    private static func png(_ bytes: Reader) -> Found? {
        guard bytes.holds([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), bytes.holds("IHDR", at: 12),
            let width = bytes.big(4, at: 16), let height = bytes.big(4, at: 20)
        else { return nil }
        return (.png, width, height)
    }

    private static func gif(_ bytes: Reader) -> Found? {
        guard bytes.holds("GIF8", at: 0), let width = bytes.little(2, at: 6), let height = bytes.little(2, at: 8) else {
            return nil
        }
        return (.gif, width, height)
    }

    private static func bmp(_ bytes: Reader) -> Found? {
        // Version 3 and later. The height is negative if the first row is the top one.
        guard bytes.holds("BM", at: 0), let size = bytes.little(4, at: 14), size >= 40,
            let width = bytes.little(4, at: 18), let height = bytes.little(4, at: 22)
        else { return nil }
        return (.bmp, width, height > 0x7FFF_FFFF ? 0x1_0000_0000 - height : height)
    }

    private static func webP(_ bytes: Reader) -> Found? {
        guard bytes.holds("RIFF", at: 0), bytes.holds("WEBP", at: 8) else { return nil }
        if bytes.holds("VP8 ", at: 12), bytes.holds([0x9D, 0x01, 0x2A], at: 23), let width = bytes.little(2, at: 26),
            let height = bytes.little(2, at: 28)
        {
            return (.webP, width & 0x3FFF, height & 0x3FFF)
        }
        if bytes.holds("VP8L", at: 12), let bits = bytes.little(4, at: 21) {
            return (.webP, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        if bytes.holds("VP8X", at: 12), let width = bytes.little(3, at: 24), let height = bytes.little(3, at: 27) {
            return (.webP, width + 1, height + 1)
        }
        return nil
    }

    /// Goes through the segments (ITU-T T.81 section B.1) up to a frame header.
    private static func jpeg(_ bytes: Reader) -> Found? {
        guard bytes.holds([0xFF, 0xD8, 0xFF], at: 0) else { return nil }
        var offset = 2
        while bytes.big(1, at: offset) == 0xFF, let marker = bytes.big(1, at: offset + 1) {
            switch marker {
            case 0xFF: offset += 1
            case 0x01, 0xD0...0xD8: offset += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = bytes.big(2, at: offset + 5), let width = bytes.big(2, at: offset + 7) else {
                    return nil
                }
                return (.jpeg, width, height)
            case 0xD9, 0xDA: return nil
            default:
                guard let length = bytes.big(2, at: offset + 2), length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    /// Reads numbers and texts at offsets that may be out of range.
    private struct Reader {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func holds(_ expected: [UInt8], at offset: Int) -> Bool {
            offset + expected.count <= bytes.count && bytes[offset...].starts(with: expected)
        }

        func holds(_ expected: String, at offset: Int) -> Bool { holds(Array(expected.utf8), at: offset) }

        func big(_ count: Int, at offset: Int) -> Int? {
            guard offset + count <= bytes.count else { return nil }
            return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }

        func little(_ count: Int, at offset: Int) -> Int? {
            guard offset + count <= bytes.count else { return nil }
            return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
