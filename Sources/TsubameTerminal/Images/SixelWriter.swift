// SixelWriter: writes an image as DEC sixels.

/// The colours form a cube with six levels for each of red, green and blue. So no image needs its own palette.
enum SixelWriter {
    private static let levels = 6

    static func write(_ image: PixelImage, maximumWidth: Int) -> [UInt8] {
        let image = image.narrowed(to: maximumWidth)
        var output = Array("\u{1B}P0;1;0q\"1;1;\(image.width);\(image.height)".utf8)
        for index in 0..<levels * levels * levels {
            let parts = [index / 36, index / 6 % 6, index % 6].map { "\($0 * 20)" }
            output += Array("#\(index);2;\(parts.joined(separator: ";"))".utf8)
        }
        for top in stride(from: 0, to: image.height, by: 6) {
            writeBand(of: image, from: top, &output)
            output.append(UInt8(ascii: "-"))
        }
        return output + [0x1B, 0x5C]
    }

    /// Writes six rows: a line of sixels for each colour in them, one over the other.
    private static func writeBand(of image: PixelImage, from top: Int, _ output: inout [UInt8]) {
        let rows = min(6, image.height - top)
        var bands: [Int: [UInt8]] = [:]
        for row in 0..<rows {
            for column in 0..<image.width {
                let colour = colour(of: image, (top + row) * image.width + column)
                bands[colour, default: [UInt8](repeating: 0, count: image.width)][column] |= 1 << row
            }
        }
        for (index, band) in bands.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { output.append(UInt8(ascii: "$")) }
            output += Array("#\(band.key)".utf8)
            writeRuns(of: band.value, &output)
        }
    }

    private static func writeRuns(of band: [UInt8], _ output: inout [UInt8]) {
        var index = 0
        while index < band.count {
            var count = 1
            while index + count < band.count, band[index + count] == band[index] { count += 1 }
            let sixel = 0x3F + band[index]
            if count > 3 {
                output += Array("!\(count)".utf8)
                output.append(sixel)
            } else {
                output += [UInt8](repeating: sixel, count: count)
            }
            index += count
        }
    }

    private static func colour(of image: PixelImage, _ pixel: Int) -> Int {
        let level = { (part: Int) in (Int(image.pixels[pixel * 3 + part]) * (levels - 1) + 127) / 255 }
        return level(0) * 36 + level(1) * 6 + level(2)
    }
}
