// ContentEncoder: an encoder that applies a content coding piece by piece.
package import TsubameCore

/// One sender at a time uses an encoder.
package protocol ContentEncoder: AnyObject {
    /// Takes all of `input`, which must be less than 2^32 bytes, and appends the bytes that are encoded so far.
    /// - Parameter isLast: whether nothing follows. The coding then ends.
    /// - Returns: whether the call succeeded. A call after the last input fails.
    func encode(_ input: Bytes, isLast: Bool, into output: inout [UInt8]) -> Bool
}

extension ContentEncoder {
    /// The size of the buffer that an encoder fills in one step, in bytes.
    static var outputBytes: Int { 32 << 10 }
}
