// TargetURI+URL: converts from and to Foundation's URL through text, which is parsed as strictly as any other.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TargetURI {
    /// The URI of a Foundation `URL`.
    ///
    /// Foundation's parser accepts URIs that are not valid (`http://a%2Fb/`, port 99999), so the text is parsed again.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the text is not a valid URI; the error says why.
    public init(_ url: URL) throws(CallError) { try self.init(parsing: url.absoluteString) }

    /// ``string`` as a Foundation `URL`, which never has userinfo.
    ///
    /// nil if Foundation reads another URI in the same text, or none.
    public var url: URL? {
        guard let url = URL(string: string),
            let read = try? TargetURI(parsing: url.absoluteString, keepingDotSegments: true), read.origin == origin,
            read.target == target, read.fragment == fragment, read.userinfo == nil
        else { return nil }
        return url
    }
}

extension Request {
    /// The request's URL. nil for an invalid request, and until a client has added its base URL to the path. See
    /// ``TargetURI/url``.
    public var url: URL? { uri?.url }
}
