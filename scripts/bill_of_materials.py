"""Writes the software bill of materials of this tree as CycloneDX 1.6, and validates it: python bill_of_materials.py FILE

Components: the Debian packages of libraries that building links or compiles in (debian/control.in, contrib/*/PACKAGES up to "# tests", those of the command
line), with the versions that are installed here; sources that modules fetch, pinned (NAME==VERSION); tables and code of others that are in the
repository, by their LICENSE files. Needs the package cyclonedx-python-lib[json-validation].
"""

import pathlib
import re
import subprocess
import sys

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

root = pathlib.Path(__file__).resolve().parent.parent
no_libraries = re.compile(r"^(debhelper.*|postgresql-all|python3-(pip|dev|venv)|.*-doc|pkg-config|groff-base|poppler-data|zstd|gzip|xz-utils|bzip2|zsh)$")


def debian_libraries():
    control = (root / "debian/control.in").read_text()
    found = {"core": re.findall(r"^ ([a-z0-9.+-]+)", control[control.index("Build-Depends:") : control.index("Standards-Version")], re.M)}
    for packages in sorted(root.glob("contrib/*/PACKAGES")):
        text = packages.read_text().split("# tests")[0]
        found[packages.parent.name] = [line.split("#")[0].strip() for line in text.splitlines() if line.split("#")[0].strip()]
    found["command line"] = re.search(r"is_wanted threads; \} \|\| module_packages=\"\$module_packages ([^\"]*)\"", (root / "scripts/test.sh").read_text())[1].split()
    users = {}
    for user, packages in found.items():
        for package in packages:
            if not no_libraries.match(package):
                users.setdefault(package, []).append(user)
    return users


def debian_version(package):
    run = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    if run.returncode == 0 and run.stdout:
        return run.stdout
    run = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True)
    candidate = re.search(r"Candidate: (\S+)", run.stdout)
    return candidate[1] if candidate and candidate[1] != "(none)" else None


def fetched_sources():
    for file in sorted([*root.glob("contrib/*/*.sh"), *root.glob("contrib/*/Makefile")]):
        text = file.read_text()
        for name, version, checksum in re.findall(r"\"([\w-]+)==([\d.]+) --hash=sha256:\$(\w+)\"", text):
            digest = re.search(rf"^{checksum}=(?:.*=)?'?\"?([0-9a-f]{{64}})", text, re.M)
            yield file.parent.name, name, version, digest[1] if digest else None


def used_by(users):
    return [Property(name="txtfp:used-by", value=user) for user in users]


bom = Bom()
version = re.search(r"default_version = '(.*)'", (root / "txtfp.control").read_text())[1]
own = Component(name="txtfp", version=version, type=ComponentType.LIBRARY, bom_ref="txtfp", licenses=[DisjunctiveLicense(id="PostgreSQL")])
bom.metadata.component = own
components = []
for package, users in sorted(debian_libraries().items()):
    installed = debian_version(package)
    components.append(Component(name=package, version=installed, type=ComponentType.LIBRARY, bom_ref=f"deb:{package}", properties=used_by(users),
                                purl=PackageURL("deb", "debian", package, installed)))
for user, name, pinned, digest in fetched_sources():
    components.append(Component(name=name, version=pinned, type=ComponentType.LIBRARY, bom_ref=f"pypi:{name}", properties=used_by([user]), purl=PackageURL("pypi", None, name, pinned),
                                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else []))
for name, of, license_id in (("Unicode character data", "15.0.0", "Unicode-3.0"), ("lavinhash", None, "MIT")):
    components.append(Component(name=name, version=of, type=ComponentType.DATA if "data" in name else ComponentType.LIBRARY, bom_ref=f"in:{name}",
                                licenses=[DisjunctiveLicense(id=license_id)], properties=used_by(["core"])))
for component in components:
    bom.components.add(component)
bom.register_dependency(own, components)
text = JsonV1Dot6(bom).output_as_string(indent=1)
fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
if fault:
    sys.exit(f"the bill is not valid: {fault}")
pathlib.Path(sys.argv[1]).write_text(text + "\n")
print(f"{len(components)} components, valid CycloneDX 1.6: {sys.argv[1]}")
