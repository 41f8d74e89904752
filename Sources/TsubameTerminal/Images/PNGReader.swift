// PNGReader: reads the pixels of a PNG file (W3C PNG, third edition).

internal import CZlib

/// Reads images that are not interlaced, and mixes transparent pixels with black. No input makes it use more memory
/// than ``maximumPixels`` pixels need.
enum PNGReader {
    static let maximumPixels = 8 << 20

    private struct Format {
        var width = 0
        var height = 0
        var depth = 0
        var colour = 0

        var channels: Int {
            switch colour {
            case 2: 3
            case 4: 2
            case 6: 4
            default: 1
            }
        }
        var rowBytes: Int { (width * channels * depth + 7) / 8 }
        /// The distance in bytes to the same byte of the previous pixel, at least 1.
        var step: Int { max(1, channels * depth / 8) }
        var isReadable: Bool {
            let depths =
                switch colour {
                case 0: [1, 2, 4, 8, 16]
                case 3: [1, 2, 4, 8]
                case 2, 4, 6: [8, 16]
                default: [Int]()
                }
            return depths.contains(depth) && width > 0 && height > 0 && width <= maximumPixels / height
        }
    }

    /// nil for a file that is not a PNG, is broken, or has an unsupported format.
    static func read(_ file: [UInt8]) -> PixelImage? {
        var format = Format()
        var palette: [UInt8] = []
        var data: [UInt8] = []
        var offset = 8
        while offset + 12 <= file.count {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= file.count - offset - 12 else { return nil }
            let content = file[offset + 8..<offset + 8 + length]
            let type = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
            switch type {
            case "IHDR":
                // The last byte is the interlace method.
                guard length == 13, content.last == 0 else { return nil }
                let start = content.startIndex
                format.width = content[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                format.height = content[start + 4..<start + 8].reduce(0) { $0 << 8 | Int($1) }
                (format.depth, format.colour) = (Int(content[start + 8]), Int(content[start + 9]))
                guard format.isReadable else { return nil }
            case "PLTE": palette = Array(content)
            case "IDAT": data += content
            default: break
            }
            if type == "IEND" { break }
            offset += 12 + length
        }
        guard format.isReadable, let rows = inflate(data, count: (format.rowBytes + 1) * format.height) else {
            return nil
        }
        return pixels(unfiltered(rows, format), format, palette)
    }

    /// The inflated data; nil unless it has exactly `count` bytes.
    private static func inflate(_ data: [UInt8], count: Int) -> [UInt8]? {
        var length = uLongf(count)
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            isWhole = uncompress(buffer.baseAddress, &length, data, uLong(data.count)) == Z_OK && Int(length) == count
            written = isWhole ? count : 0
        }
        return isWhole ? output : nil
    }

    /// Reverses the filters (section 9) and removes the filter bytes.
    private static func unfiltered(_ rows: [UInt8], _ format: Format) -> [UInt8] {
        let (count, step) = (format.rowBytes, format.step)
        var output = [UInt8](repeating: 0, count: count * format.height)
        for row in 0..<format.height {
            let (from, to) = (row * (count + 1), row * count)
            let filter = rows[from]
            for index in 0..<count {
                let left = index >= step ? output[to + index - step] : 0
                let above = row > 0 ? output[to - count + index] : 0
                let corner = row > 0 && index >= step ? output[to - count + index - step] : 0
                let predicted: UInt8 =
                    switch filter {
                    case 1: left
                    case 2: above
                    case 3: UInt8((Int(left) + Int(above)) / 2)
                    case 4: paeth(left, above, corner)
                    default: 0
                    }
                output[to + index] = rows[from + 1 + index] &+ predicted
            }
        }
        return output
    }

    private static func paeth(_ left: UInt8, _ above: UInt8, _ corner: UInt8) -> UInt8 {
        let estimate = Int(left) + Int(above) - Int(corner)
        let distances = (abs(estimate - Int(left)), abs(estimate - Int(above)), abs(estimate - Int(corner)))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }

    private static func pixels(_ rows: [UInt8], _ format: Format, _ palette: [UInt8]) -> PixelImage {
        var output: [UInt8] = []
        output.reserveCapacity(format.width * format.height * 3)
        for row in 0..<format.height {
            for column in 0..<format.width {
                /// A sample. Samples of 8 or 16 bits give 8 bits, and smaller samples keep their size.
                let sample = { (channel: Int) -> Int in
                    let bit = (column * format.channels + channel) * format.depth
                    let byte = Int(rows[row * format.rowBytes + bit / 8])
                    return format.depth >= 8
                        ? byte : byte >> (8 - format.depth - bit % 8) & ((1 << format.depth) - 1)
                }
                switch format.colour {
                case 3:
                    let index = sample(0) * 3
                    output += index + 3 <= palette.count ? palette[index..<index + 3] : [0, 0, 0]
                case 0, 4:
                    let grey = format.depth < 8 ? sample(0) * 255 / ((1 << format.depth) - 1) : sample(0)
                    let value = UInt8(truncatingIfNeeded: format.colour == 4 ? grey * sample(1) / 255 : grey)
                    output += [value, value, value]
                default:
                    let alpha = format.colour == 6 ? sample(3) : 255
                    for channel in 0..<3 { output.append(UInt8(truncatingIfNeeded: sample(channel) * alpha / 255)) }
                }
            }
        }
        return PixelImage(width: format.width, height: format.height, pixels: output)
    }
}
