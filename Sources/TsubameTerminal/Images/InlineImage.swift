// InlineImage: the escape sequences that make a terminal show an image.

package enum InlineImage {
    /// The largest image that is shown, in bytes.
    package static let limit = 16 << 20
    /// The largest piece that Kitty's protocol allows in one sequence, in bytes.
    private static let kittyPiece = 4096

    /// The sequences and a line end; nil if the terminal cannot show the image.
    /// - Parameters:
    ///   - columns: the width of the terminal in characters.
    ///   - width: the width of the terminal in pixels, if known.
    package static func sequences(
        _ image: [UInt8], _ header: ImageHeader, by terminal: ImageProtocol, columns: Int, width: Int?
    ) -> [UInt8]? {
        guard image.count <= limit else { return nil }
        let available = width ?? columns * 8
        switch terminal {
        case .kitty:
            return header.kind == .png ? kitty(image, columns: header.width > available ? columns : nil) : nil
        case .iterm2:
            // Not every terminal with this protocol reads BMP, but all read the other formats.
            guard header.kind != .bmp else { return nil }
            return Array("\u{1B}]1337;File=inline=1;size=\(image.count):".utf8) + Base64.encode(image) + [0x07, 0x0A]
        case .sixel:
            guard header.kind == .png, let pixels = PNGReader.read(image) else { return nil }
            return SixelWriter.write(pixels, maximumWidth: max(1, min(available, 2000))) + [0x0A]
        }
    }

    /// Kitty's graphics protocol: transmit and show, with the data in pieces. `q=2` suppresses the terminal's answer,
    /// which would be taken for input.
    private static func kitty(_ image: [UInt8], columns: Int?) -> [UInt8] {
        let data = Base64.encode(image)
        var output: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + kittyPiece, data.count)
            let size = columns.map { ",c=\($0)" } ?? ""
            let keys = start == 0 ? "a=T,f=100,q=2\(size)," : ""
            output += Array("\u{1B}_G\(keys)m=\(end < data.count ? 1 : 0);".utf8)
            output += data[start..<end]
            output += [0x1B, 0x5C]
            start = end
        } while start < data.count
        return output + [0x0A]
    }
}
