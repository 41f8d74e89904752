// ContentTypeGuess: the media type for the extension of a file name.

package enum ContentTypeGuess {
    private static let types: [String: String] = [
        "json": "application/json", "xml": "application/xml", "html": "text/html", "htm": "text/html",
        "txt": "text/plain", "md": "text/markdown", "css": "text/css", "csv": "text/csv", "js": "text/javascript",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml", "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip",
        "tar": "application/x-tar", "wasm": "application/wasm", "mp3": "audio/mpeg", "mp4": "video/mp4",
    ]

    /// The usual extension of each type, where several have the same type.
    private static let usual = ["text/html": "html", "image/jpeg": "jpg"]

    /// The extension for a media type such as `image/png`, without a dot; nil if none is usual.
    package static func fileExtension(of type: String) -> String? {
        if let name = usual[type] { return name }
        if type.hasSuffix("+json") { return "json" }
        return types.first { $0.value == type }?.key
    }

    /// The media type for a path; `application/octet-stream` if the extension is unknown.
    package static func type(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "application/octet-stream" }
        return types[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }
}
