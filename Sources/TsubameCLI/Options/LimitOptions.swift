// LimitOptions: the options that limit what a server may send.

import Tsubame

struct LimitOptions: Options {
    var maxHeaders: Int?
    var maxFilesize: Int64?

    static let title = "Limits"
    static let options: [CommandOption<Self>] = [
        .number("max-headers", "n", "The most fields of a response's head; 1000 by default, 0 for no other limit.") {
            $0.maxHeaders = $1
        },
        .value(
            "max-filesize", "bytes",
            "Fail if the body of the response is longer when decoded; K, M and G stand for 1024, 1024² and 1024³ bytes.",
            reading: size
        ) { $0.maxFilesize = $1 },
    ]

    private static let units: [Character: Int64] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
    /// The most fields that a head can have.
    private static let mostHeaders = 60_000

    private static func size(_ text: String) throws(UsageProblem) -> Int64 {
        let unit = text.lowercased().last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), number >= 0, !digits.hasPrefix("+"),
            case let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1), !overflow
        else { throw UsageProblem("“\(text)” is not a number of bytes, such as 1000 or 10M.") }
        return bytes
    }

    func validate() throws(UsageProblem) {
        if let maxHeaders, !(0...Self.mostHeaders).contains(maxHeaders) {
            throw UsageProblem("--max-headers is a number from 0 to \(Self.mostHeaders).")
        }
    }

    func apply(to configuration: inout Configuration) {
        if let maxHeaders { configuration.limits.headFields = maxHeaders == 0 ? Self.mostHeaders : maxHeaders }
        if let maxFilesize { configuration.interceptors.append(BodyLimit(bytes: maxFilesize)) }
    }
}
