#!/bin/sh
# Starts systemd in a root of its own: the programs of this machine, read-only, and nothing else of it. Its namespaces are new, so
# it sees no other process and no network. Only targets, the journal and the bus are there to be started: the other units of a
# machine would change kernel settings, clean up /tmp or ask for updates.
#   boot.sh <empty folder> <folder for /usr/local> <folder with the units>
set -eu
root=$1 local=$2 units=$3

mount --make-rprivate /
mount -t tmpfs -o mode=755 root "$root"
cd "$root"
mkdir -p usr proc sys dev run tmp var/lib var/log/journal etc/systemd/system etc/waybill/secrets home root old
chmod 1777 tmp
chmod 700 etc/waybill/secrets
for link in bin sbin lib lib64; do ln -s "usr/$link" "$link"; done

mount --rbind /usr usr
mount -o remount,bind,ro usr
mount --bind "$local" usr/local
mount -o remount,bind,ro usr/local
mkdir vendor-units generators
cp /usr/lib/systemd/system/*.target /usr/lib/systemd/system/systemd-journald*.socket \
  /usr/lib/systemd/system/systemd-journald.service /usr/lib/systemd/system/dbus.socket \
  /usr/lib/systemd/system/dbus.service vendor-units/
mount --bind vendor-units usr/lib/systemd/system
mount --bind generators usr/lib/systemd/system-generators
cp -R "$units"/. etc/systemd/system/
mkdir -p etc/systemd/system/sysinit.target.wants
ln -s /usr/lib/systemd/system/systemd-journald.service /usr/lib/systemd/system/dbus.socket \
  etc/systemd/system/sysinit.target.wants/

cp /etc/ld.so.cache etc/
[ ! -d /etc/ssl/certs ] || { mkdir -p etc/ssl && cp -R /etc/ssl/certs etc/ssl/; }
echo 'root:x:0:0:root:/root:/bin/sh' > etc/passwd
echo 'messagebus:x:100:100::/nonexistent:/usr/sbin/nologin' >> etc/passwd
echo 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' >> etc/passwd
printf 'root:x:0:\nmessagebus:x:100:\nnogroup:x:65534:\n' > etc/group
printf 'passwd: files systemd\ngroup: files systemd\nhosts: files\n' > etc/nsswitch.conf
echo '127.0.0.1 localhost' > etc/hosts
od -An -N16 -tx1 /dev/urandom | tr -d ' \n' > etc/machine-id
ln -s ../usr/lib/os-release etc/os-release

mount -t tmpfs -o mode=755 dev dev
for node in null zero full random urandom tty; do : > dev/$node; mount --bind "/dev/$node" dev/$node; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs shm dev/shm
mount -t tmpfs -o mode=755 run run
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup sys/fs/cgroup

pivot_root . old
umount -l /old
# As on a machine: services see what systemd mounts for them later, such as their credentials.
mount --make-rshared /
exec env -i container=waybill-check PATH=/usr/local/bin:/usr/bin:/bin \
  /usr/lib/systemd/systemd --system --unit=basic.target --log-target=journal
