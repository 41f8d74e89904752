// PublicSuffixList+File: reads a public suffix list from a file, which may be newer than the built-in one.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension PublicSuffixList {
    /// Reads a file in the format of `public_suffix_list.dat`.
    ///
    /// You can download the list from https://publicsuffix.org/list/public_suffix_list.dat. Debian's package
    /// `publicsuffix` installs it in `/usr/share/publicsuffix`. Reading the list takes about 40 ms, and the list takes
    /// 1 MB of memory.
    ///
    /// ```swift
    /// let jar = CookieJar(publicSuffixes: try .file("/usr/share/publicsuffix/public_suffix_list.dat"))
    /// ```
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read, or has another format.
    public static func file(_ path: String) throws(CallError) -> PublicSuffixList {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CallError(.file, "the file \(path) cannot be read: \(error)", underlying: error)
        }
        guard let text = String(validating: data, as: UTF8.self), let list = PublicSuffixList(parsing: text) else {
            throw CallError(.file, "\(path) is not a public suffix list")
        }
        return list
    }

    /// Reads the list at a file URL.
    public static func file(_ url: URL) throws(CallError) -> PublicSuffixList { try file(try url.filePath()) }
}
