// ContentCodingError: why a coded content could not be decoded.

package struct ContentCodingError: Error, Hashable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The bytes are not of this coding, or its checksum does not match. The text comes from the decoder.
        case corrupt(String)
        /// The content ended before the coding did.
        case truncated
        /// Bytes other than zeros follow the end of the coding.
        case trailingBytes
        case outOfMemory
        /// This many coded bytes in a row decoded to nothing.
        case noContent(after: Int)
    }

    /// The coding, as Content-Encoding names it.
    package let coding: String
    package let reason: Reason

    package init(coding: String, reason: Reason) {
        self.coding = coding
        self.reason = reason
    }

    package var description: String {
        switch reason {
        case .corrupt(let words): "The \(coding) content is corrupt: \(words)."
        case .truncated: "The \(coding) content is incomplete."
        case .trailingBytes: "The \(coding) content is followed by bytes that do not belong to it."
        case .outOfMemory: "There is not enough memory to decode the \(coding) content."
        case .noContent(let count): "The \(coding) content is empty so far: \(count) coded bytes decoded to nothing."
        }
    }
}
