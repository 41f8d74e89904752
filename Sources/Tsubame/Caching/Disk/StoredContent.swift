// StoredContent: where the body of a cached response is, and the checksums that reveal damage.

package import Dispatch
package import TsubameCore

/// Small bodies are stored with their response, large ones in a file of their own. Readers keep that file open. They
/// can therefore read to the end even if this or another process removes the response.
package struct StoredContent: Sendable {
    /// A body up to this length has no file of its own.
    package static let inlineBytes = 64 << 10

    package let length: Int64
    package let sums: BlockSums
    /// The name of the file in the folder; nil if `bytes` has the body.
    package let file: String?
    package let bytes: Bytes?

    package init(length: Int64, sums: BlockSums, file: String?, bytes: Bytes?) {
        self.length = length
        self.sums = sums
        self.file = file
        self.bytes = bytes
    }

    /// The body from this offset, or nil if it does not match its checksums.
    /// - Parameters:
    ///   - folder: the folder with the body files.
    ///   - queue: the queue on which a large body is read.
    ///   - isDamaged: called when damage is found while a large body is read.
    package func body(
        from offset: Int64, in folder: BodyFolder, on queue: DispatchQueue,
        isDamaged: @escaping @Sendable () -> Void
    ) -> ResponseBody? {
        guard (0...max(length, 0)).contains(offset) else { return nil }
        guard let name = file else {
            let bytes = bytes ?? Bytes()
            guard Int64(bytes.count) == length, bytes.withUnsafeBytes({ sums.agree(with: $0, from: 0) }) else {
                return nil
            }
            return ResponseBody(bytes.slice(Int(offset)..<bytes.count))
        }
        guard CacheFileName.kind(of: name) == .body, let file = folder.file(name, length: length) else { return nil }
        let source = StoredBody(file, self, from: offset, on: queue, isDamaged: isDamaged)
        guard length - offset <= Int64(CacheLimits.smallBody) else { return ResponseBody(source) }
        return source.whole().map { ResponseBody($0) }
    }
}
