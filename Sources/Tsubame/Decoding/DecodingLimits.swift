// DecodingLimits: the limits of a decompression, beside `Limits.bufferedBody` for what is collected.

import TsubameWire

enum DecodingLimits {
    /// The most bytes that one decoder returns at once.
    static let outputBytes = 64 << 10

    /// How many codings one response may have on top of each other.
    /// - Returns: the error text if there are more.
    static func problem(ofCodings count: Int, allowed: Int) -> String? {
        count > allowed ? "the response has \(count) content codings, and at most \(allowed) are allowed" : nil
    }

    /// Counts the input in a row that decodes to nothing. Padding, empty gzip members and skippable zstd frames could
    /// otherwise follow each other without end.
    struct BarrenInput {
        private static let most = 1 << 20
        private var count = 0

        /// Counts one step of a decoder.
        mutating func count(_ consumed: Int, hasOutput: Bool, of coding: ReceivedCoding) throws(ContentCodingError) {
            count = hasOutput ? 0 : count + consumed
            guard count <= Self.most else {
                throw ContentCodingError(coding: coding.rawValue, reason: .noContent(after: count))
            }
        }
    }
}
