// OutputWidth: how wide the terminal is.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct OutputWidth: Sendable {
    /// Of characters; 80 if nobody knows.
    let columns: Int
    /// Of lines; 24 if nobody knows.
    let rows: Int
    /// nil if the terminal does not say.
    let pixels: Int?

    /// - Parameter descriptor: of the terminal; `COLUMNS` is used where it does not know.
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

#endif
