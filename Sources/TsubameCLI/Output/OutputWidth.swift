// OutputWidth: the size of the terminal.

import TsubamePlatform

struct OutputWidth: Sendable {
    /// The width in characters; 80 if unknown.
    let columns: Int
    /// The height in lines; 24 if unknown.
    let rows: Int
    /// The width in pixels; nil if the terminal does not report it.
    let pixels: Int?

    /// - Parameter descriptor: the terminal. If it does not report its width, `COLUMNS` is used.
    init(_ descriptor: Int32) {
        var size = winsize()
        let isKnown = ioctl(descriptor, numericCast(TIOCGWINSZ), &size) == 0
        let named = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        columns =
            isKnown && size.ws_col > 0 ? Int(size.ws_col) : named.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? 80
        rows = isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
        pixels = isKnown && size.ws_xpixel > 0 ? Int(size.ws_xpixel) : nil
    }
}
