// WarmedOriginsTests: connections made in advance to one origin say nothing of another.

import Testing
import TsubameCore

@testable import TsubameEngine

@Suite struct WarmedOriginsTests {
    @Test func `only the origins that were noted are included`() throws {
        let settings = SharedSettings(ConnectionSettings(), reusing: nil)
        let keys = try ["http://a.example/", "http://b.example/"].map {
            ConnectionKey(origin: try TargetURI(parsing: $0).origin, settings: settings, proxy: nil)
        }
        let origins = WarmedOrigins()
        #expect(!origins.includes(keys[0]))
        origins.note(keys[0])
        #expect(origins.includes(keys[0]) && !origins.includes(keys[1]))
    }
}
