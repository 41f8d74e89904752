// FileLocation: where a file or a socket of the file system is, as text or as a file URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a file or a Unix-domain socket is.
///
/// ```swift
/// $0.connection.unixSocket = "/var/run/docker.sock"
/// $0.connection.unixSocket = .file(path)                                   // a String
/// $0.connection.unixSocket = .file(folder.appending(path: "app.sock"))     // a URL
/// ```
/// A URL that is no file URL fails every call with ``CallError/Kind/invalidRequest``.
public struct FileLocation: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The path, as it was given.
    public let path: String
    package let isFile: Bool

    private init(path: String, isFile: Bool) { (self.path, self.isFile) = (path, isFile) }

    /// The location at a path.
    public static func file(_ path: String) -> FileLocation { FileLocation(path: path, isFile: true) }

    /// The location that a file URL names.
    public static func file(_ url: URL) -> FileLocation { FileLocation(path: url.fileText, isFile: url.isFileURL) }

    /// The location at the path of a literal.
    public init(stringLiteral path: String) { self.init(path: path, isFile: true) }

    /// The path.
    public var description: String { path }
}
