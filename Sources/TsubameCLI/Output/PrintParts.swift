// PrintParts: the parts of an exchange that are printed.

/// The value of `--print=HBhbmt`.
struct PrintParts: OptionSet {
    let rawValue: Int

    /// H
    static let requestHead = PrintParts(rawValue: 1)
    /// B
    static let requestBody = PrintParts(rawValue: 2)
    /// h
    static let responseHead = PrintParts(rawValue: 4)
    /// b
    static let responseBody = PrintParts(rawValue: 8)
    /// m
    static let metadata = PrintParts(rawValue: 16)
    /// t
    static let timings = PrintParts(rawValue: 32)

    /// Both messages, without figures about them.
    static let messages: PrintParts = [.requestHead, .requestBody, .responseHead, .responseBody]
    static let response: PrintParts = [.responseHead, .responseBody]
    static let request: PrintParts = [.requestHead, .requestBody]
    /// The parts that are known only at the end of the call.
    static let figures: PrintParts = [.metadata, .timings]

    init(rawValue: Int) { self.rawValue = rawValue }

    init(_ text: String) throws(UsageProblem) {
        self = []
        for letter in text {
            switch letter {
            case "H": insert(.requestHead)
            case "B": insert(.requestBody)
            case "h": insert(.responseHead)
            case "b": insert(.responseBody)
            case "m": insert(.metadata)
            case "t": insert(.timings)
            default: throw UsageProblem("“\(letter)” is none of H, B, h, b, m and t.")
            }
        }
    }
}
