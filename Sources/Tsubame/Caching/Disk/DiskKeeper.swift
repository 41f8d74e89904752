// DiskKeeper: a keeper whose large bodies are files.

package import TsubameCore
package import TsubameWire

package protocol DiskKeeper: CacheKeeper {
    /// How many bytes it may keep.
    var limit: Int64 { get }
    /// Where the files of a key's bodies are.
    func folder(of key: String) -> BodyFolder
    /// Keeps a response whose body is whole.
    /// - Returns: whether it is kept now.
    func put(_ head: StoredHead, under key: String, _ content: StoredContent) -> Bool
    /// Has that told with the next call.
    func note(_ text: String)
}

extension DiskKeeper {
    package func note(_ error: CallError) { note(error.reason) }

    package func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)? {
        guard length ?? 0 <= limit else { return nil }
        return DiskCacheWriter(self, head, key, length: length)
    }
}
