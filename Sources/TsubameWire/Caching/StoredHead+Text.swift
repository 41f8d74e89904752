// The fields of a stored response as texts, for whoever keeps them.

import HTTPTypes

extension StoredHead {
    /// The fields, a line each.
    package var fieldText: String { fields.map { "\($0.name.rawName):\($0.value)\n" }.joined() }

    /// The selecting fields; one text for the same ones, whatever their order.
    package var selectingText: String {
        selecting.sorted { $0.key < $1.key }.map { name, value in value.map { "\(name):\($0)\n" } ?? "\(name)\n" }
            .joined()
    }

    /// nil if the texts are not of a head.
    package init?(
        status: Int, fieldText: String, selectingText: String, requestTime: Double, responseTime: Double
    ) {
        var fields = HTTPFields()
        for line in fieldText.utf8.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: 0x3A),
                let name = String(line[..<colon]).flatMap({ HTTPField.Name($0) }),
                let value = String(line[line.index(after: colon)...])
            else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        var selecting: [String: String?] = [:]
        for line in selectingText.utf8.split(separator: 0x0A) {
            let colon = line.firstIndex(of: 0x3A)
            guard let name = String(line[..<(colon ?? line.endIndex)]) else { return nil }
            selecting.updateValue(colon.flatMap { String(line[line.index(after: $0)...]) }, forKey: name)
        }
        self.init(
            status: status, fields: fields, selecting: selecting, requestTime: requestTime, responseTime: responseTime)
    }
}
