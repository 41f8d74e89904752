// InlineImage: an image as the sequences that have a terminal show it.

package enum InlineImage {
    /// In bytes; of a larger one, only its size is told.
    package static let limit = 16 << 20
    /// As many as Kitty's protocol allows in one sequence.
    private static let kittyPiece = 4096

    /// The sequences, and a line's end; nil if the terminal cannot show such an image.
    /// - Parameters:
    ///   - columns: of the terminal.
    ///   - width: of the terminal in pixels, if it is known.
    package static func sequences(
        _ image: [UInt8], _ header: ImageHeader, by terminal: ImageProtocol, columns: Int, width: Int?
    ) -> [UInt8]? {
        guard image.count <= limit else { return nil }
        let available = width ?? columns * 8
        switch terminal {
        case .kitty:
            return header.kind == .png ? kitty(image, columns: header.width > available ? columns : nil) : nil
        case .iterm2:
            // The other kinds are not read by each terminal that speaks it, but these are.
            guard header.kind != .bmp else { return nil }
            return Array("\u{1B}]1337;File=inline=1;size=\(image.count):".utf8) + Base64.encode(image) + [0x07, 0x0A]
        case .sixel:
            guard header.kind == .png, let pixels = PNGReader.read(image) else { return nil }
            return SixelWriter.write(pixels, maximumWidth: max(1, min(available, 2000))) + [0x0A]
        }
    }

    /// Kitty's graphics protocol: transmit and show, the data in pieces; no answer is wanted, which would be taken for input.
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
