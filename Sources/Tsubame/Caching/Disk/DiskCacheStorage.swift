// DiskCacheStorage: a cache storage that keeps large bodies in files.

package import TsubameCore
package import TsubameWire

package protocol DiskCacheStorage: CacheStorage {
    /// The most bytes that the storage may keep.
    var limit: Int64 { get }
    /// The folder with the body files of a key.
    func folder(of key: String) -> BodyFolder
    /// Keeps a response whose body is complete.
    /// - Returns: whether the response is kept.
    func put(_ head: StoredHead, under key: String, _ content: StoredContent) -> Bool
    /// Adds a notice, which the next call reports.
    func note(_ text: String)
}

extension DiskCacheStorage {
    package func note(_ error: CallError) { note(error.reason) }

    package func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)? {
        guard length ?? 0 <= limit else { return nil }
        return DiskCacheWriter(self, head, key, length: length)
    }
}
