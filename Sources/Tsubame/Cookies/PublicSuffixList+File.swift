// A public suffix list from a file, newer than the one that comes with the library.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension PublicSuffixList {
    /// Reads a file in the format of `public_suffix_list.dat`: https://publicsuffix.org/list/public_suffix_list.dat, or
    /// that of Debian's package `publicsuffix`, in `/usr/share/publicsuffix`. It takes some 40 ms and 1 MB.
    ///
    /// ```swift
    /// let jar = CookieJar(publicSuffixes: try .file("/usr/share/publicsuffix/public_suffix_list.dat"))
    /// ```
    /// - Throws: ``CallError/Kind/file`` if it cannot be read, or is no such list.
    public static func file(_ path: String) throws(CallError) -> PublicSuffixList {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CallError(.file, "the file \(path) cannot be read: \(error)", underlying: error)
        }
        guard let text = String(validating: data, as: UTF8.self), let list = PublicSuffixList(parsing: text) else {
            throw CallError(.file, "\(path) is no public suffix list")
        }
        return list
    }
}
