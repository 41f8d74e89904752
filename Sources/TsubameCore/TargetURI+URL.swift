// Foundation's URL: from it and to it, through text that is read as strictly as any other.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TargetURI {
    /// The URI that Foundation's URL stands for.
    ///
    /// Foundation's parser takes what is no valid URI (`http://a%2Fb/`, port 99999), so the text is read again.
    /// - Throws: ``CallError/Kind/invalidRequest`` with what is wrong.
    public init(_ url: URL) throws(CallError) { try self.init(parsing: url.absoluteString) }

    /// ``string`` as Foundation's URL: without userinfo, whatever else is there.
    ///
    /// nil where Foundation reads another URI out of the same text, or none.
    public var url: URL? {
        guard let url = URL(string: string),
            let read = try? TargetURI(parsing: url.absoluteString, keepingDotSegments: true), read.origin == origin,
            read.target == target, read.fragment == fragment, read.userinfo == nil
        else { return nil }
        return url
    }
}

extension Request {
    /// ``TargetURI/url`` of where it goes: nil until a client has put a path below its base, and for an invalid request.
    public var url: URL? { uri?.url }
}
