// Response+FileName: a file name for a response's body.

import HTTPTypes
public import TsubameCore
import TsubameWire

extension Response {
    /// A file name for the body; nil if the response suggests none. The name is that of Content-Disposition (RFC
    /// 6266, RFC 8187), or the last path segment of the URL with which the call began. A segment without an extension
    /// gets the one of the media type, so that `/get` becomes `get.json`. Servers give `text/plain` to files that they know
    /// nothing about, so that type adds none.
    ///
    /// The name can be used as the base name of a file. It has no folders, no dots at its beginning, no control
    /// characters, and at most 255 bytes. It also has nothing that some system does not allow. The caller must check
    /// whether a file of that name exists.
    public var suggestedFileName: String? {
        let field = headers[.contentDisposition].flatMap { ContentDisposition($0) }
        if let name = field?.filename.flatMap(FileName.safe) { return name }
        let uri = history.first?.request.uri ?? request.uri
        guard let segment = uri?.path.split(separator: "/", omittingEmptySubsequences: false).last else { return nil }
        guard let name = FileName.safe(PercentEncoding.decodeLeniently(String(segment))) else { return nil }
        guard !name.contains("."), let type = headers[.contentType].flatMap({ MediaType($0) }),
            type.essence != "text/plain",
            let suffix = ContentTypeGuess.fileExtension(of: type.essence)
        else { return name }
        return FileName.safe("\(name).\(suffix)") ?? name
    }
}
