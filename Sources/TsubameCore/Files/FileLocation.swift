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
/// $0.connection.unixSocket = .file(folder.appending(path: "app.sock"))
/// ```
public struct FileLocation: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The path, as it was given.
    public let path: String

    /// The location at a path.
    public static func file(_ path: String) -> FileLocation { FileLocation(stringLiteral: path) }

    /// The location that a file URL names.
    public static func file(_ url: URL) -> FileLocation { .file(url.fileText) }

    /// The location at the path of a literal.
    public init(stringLiteral path: String) { self.path = path }

    /// The path.
    public var description: String { path }
}
