// Unavailable: the messages for code that uses this module without the trait XML.

#if !XML
public import Tsubame

extension Response {
    /// Needs the package's trait XML.
    @available(
        *, unavailable,
        message: "TsubameXML needs the package's trait XML: .package(url: …, traits: [.defaults, \"XML\"])"
    )
    public func xml<T: Decodable>(_ type: T.Type = T.self) throws(CallError) -> T {
        throw CallError(.unsupported, "the trait XML is off")
    }
}

extension RequestBody {
    /// Needs the package's trait XML.
    @available(
        *, unavailable,
        message: "TsubameXML needs the package's trait XML: .package(url: …, traits: [.defaults, \"XML\"])"
    )
    public static func xml(
        _ value: some Encodable, root: String, contentType: String = "application/xml"
    ) -> RequestBody { .empty }
}
#endif
