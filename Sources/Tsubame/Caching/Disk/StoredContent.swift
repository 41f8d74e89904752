// StoredContent: where the body of a cached response is, and the sums by which damage is noticed.

package import Dispatch
package import TsubameCore

/// Small bodies are where their response is, large ones in a file of their own, which readers keep open: a response that is
/// forgotten is read to its end nevertheless, by other processes as well.
package struct StoredContent: Sendable {
    /// Up to here a body has no file of its own.
    package static let inlineBytes = 64 << 10

    package let length: Int64
    package let sums: BlockSums
    /// Its name in the folder; nil if the bytes are here.
    package let file: String?
    package let bytes: Bytes?

    package init(length: Int64, sums: BlockSums, file: String?, bytes: Bytes?) {
        self.length = length
        self.sums = sums
        self.file = file
        self.bytes = bytes
    }

    /// From that byte on; nil if it is not what was stored.
    /// - Parameters:
    ///   - folder: of the files.
    ///   - queue: where a large one is read.
    ///   - isDamaged: called when that is found while a large one is read.
    package func body(
        from offset: Int64, in folder: BodyFolder, on queue: DispatchQueue,
        isDamaged: @escaping @Sendable () -> Void
    ) -> ReceivedBody? {
        guard (0...max(length, 0)).contains(offset) else { return nil }
        guard let name = file else {
            let bytes = bytes ?? Bytes()
            guard Int64(bytes.count) == length, bytes.withUnsafeBytes({ sums.agree(with: $0, from: 0) }) else {
                return nil
            }
            return ReceivedBody(bytes.slice(Int(offset)..<bytes.count))
        }
        guard CacheFileName.kind(of: name) == .body, let file = folder.file(name, length: length) else { return nil }
        let source = StoredBody(file, self, from: offset, on: queue, isDamaged: isDamaged)
        guard length - offset <= Int64(CacheLimits.smallBody) else { return ReceivedBody(source) }
        return source.whole().map { ReceivedBody($0) }
    }
}
