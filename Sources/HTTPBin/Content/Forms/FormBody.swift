// FormBody: a request body, read by its content type.
#if Server

/// A form has fields and files and no data; any other body is data. A form that cannot be read is empty.
struct FormBody {
    struct File {
        var name: String
        var mediaType: String
        var content: [UInt8]
    }

    private(set) var isForm = true
    private(set) var fields = Pairs()
    private(set) var files: [File] = []

    init(_ body: [UInt8], contentType: String) throws {
        let type = HeaderParameters(contentType)
        switch type.value.lowercased() {
        case "application/x-www-form-urlencoded":
            guard String(validating: body, as: UTF8.self) != nil else { return }
            fields = try Pairs(urlEncoded: body)
        case "multipart/form-data":
            guard let boundary = type["boundary"], !boundary.isEmpty else {
                isForm = false
                return
            }
            for part in MultipartForm.parts(of: body, boundary: boundary) ?? [] { try add(part) }
        default:
            isForm = false
        }
    }

    private mutating func add(_ part: MultipartForm.Part) throws {
        guard let name = part.name else { return }
        if part.isFile {
            let type = part.mediaType.flatMap { $0.isEmpty ? nil : $0 } ?? "application/octet-stream"
            files.append(File(name: name, mediaType: type, content: Array(part.content)))
        } else {
            let charset = part.mediaType.flatMap { HeaderParameters($0)["charset"] }?.lowercased()
            let isLatin1 = charset == "iso-8859-1"
            try fields.append(
                name, isLatin1 ? String(latin1: part.content) : String(decoding: part.content, as: UTF8.self))
        }
    }
}

#endif
