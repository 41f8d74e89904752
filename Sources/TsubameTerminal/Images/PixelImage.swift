// PixelImage: an image in memory, with three bytes a pixel.

/// Red, green and blue, row by row from the top.
struct PixelImage {
    let width: Int
    let height: Int
    var pixels: [UInt8]

    /// The image reduced to this width by its nearest pixels; the image itself if it is not wider.
    func narrowed(to maximum: Int) -> PixelImage {
        guard width > maximum, maximum > 0 else { return self }
        let newHeight = max(1, height * maximum / width)
        var result: [UInt8] = []
        result.reserveCapacity(maximum * newHeight * 3)
        for row in 0..<newHeight {
            let line = row * height / newHeight * width
            for column in 0..<maximum {
                let from = (line + column * width / maximum) * 3
                result.append(contentsOf: pixels[from..<from + 3])
            }
        }
        return PixelImage(width: maximum, height: newHeight, pixels: result)
    }
}
