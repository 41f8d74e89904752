// ContentEncoder: a content coding, applied piece by piece.
package import TsubameCore

/// Used by one sender at a time.
package protocol ContentEncoder: AnyObject {
    /// Takes all of `input`, at most 2^32 bytes, and appends what it comes to so far.
    /// - Parameter isLast: whether nothing follows; the coding is ended then.
    /// - Returns: whether it could be done; not after the last input.
    func encode(_ input: Bytes, isLast: Bool, into output: inout [UInt8]) -> Bool
}

extension ContentEncoder {
    /// What an encoder is asked for at once.
    static var outputBytes: Int { 32 << 10 }
}
